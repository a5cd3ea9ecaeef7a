// What an app sees of the modules below.

@_exported public import Daybook
