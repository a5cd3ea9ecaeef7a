#if !Hub
  #error("HubServer needs the package trait Hub, as in: swift build --traits Hub")
#endif
