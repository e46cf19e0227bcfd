namespace FastCgi.SampleTests.Mvc;

/// <summary>UseFastCgi in Program.cs is in nobody's way: TestServer replaces our server as it does Kestrel.</summary>
public sealed class MvcOnTestServerTests(MvcOnTestServer site) : MvcTests(site), IClassFixture<MvcOnTestServer>;
