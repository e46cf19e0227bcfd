namespace FastCgi.SampleTests.Mvc;

public sealed class MvcBehindNginxTests(MvcBehindNginx site) : MvcTests(site), IClassFixture<MvcBehindNginx>;
