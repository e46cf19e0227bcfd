namespace FastCgi.SampleTests.Mvc;

public sealed class MvcOnFastCgiTests(MvcOnFastCgi site) : MvcTests(site), IClassFixture<MvcOnFastCgi>;
