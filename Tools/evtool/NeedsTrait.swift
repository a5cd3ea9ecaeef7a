#if !Command
  #error("evtool needs the package trait Command, as in: swift build --traits Command")
#endif
