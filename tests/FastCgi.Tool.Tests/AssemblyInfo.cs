
// Debian's web servers, unix sockets with modes, signals.
[assembly: SupportedOSPlatform("linux")]
