#if !Hub
  #error("DaybookHubServer needs the package trait Hub, as in: swift build --traits Hub")
#endif
