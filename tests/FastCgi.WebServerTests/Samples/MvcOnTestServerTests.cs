namespace FastCgi.WebServerTests.Samples;

/// <summary>UseFastCgi in Program.cs is in nobody's way: TestServer replaces the server as it replaces Kestrel.</summary>
public sealed class MvcOnTestServerTests(MvcOnTestServer site) : MvcTests(site), IClassFixture<MvcOnTestServer>;
