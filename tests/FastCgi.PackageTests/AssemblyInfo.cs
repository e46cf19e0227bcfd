using System.Runtime.Versioning;

// Debian's web servers, unix sockets with modes, signals.
[assembly: SupportedOSPlatform("linux")]

// One set of packages for all tests.
[assembly: AssemblyFixture(typeof(FastCgi.PackageTests.Feed))]
