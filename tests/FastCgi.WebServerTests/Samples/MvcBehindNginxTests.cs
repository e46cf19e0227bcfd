namespace FastCgi.WebServerTests.Samples;

public sealed class MvcBehindNginxTests(MvcBehindNginx site) : MvcTests(site), IClassFixture<MvcBehindNginx>;
