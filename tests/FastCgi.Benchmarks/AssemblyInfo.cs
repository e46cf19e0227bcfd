using System.Runtime.Versioning;

// nginx, wrk and ab, C programs, unix sockets.
[assembly: SupportedOSPlatform("linux")]
