// A C target needs a header. evtool has nothing to call: what counts is that the object file is linked.
