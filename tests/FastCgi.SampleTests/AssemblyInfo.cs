using System.Runtime.Versioning;

// Debian's web servers, unix sockets with modes, signals.
[assembly: SupportedOSPlatform("linux")]

[assembly: AssemblyFixture(typeof(FastCgi.SampleTests.Browsers))]
