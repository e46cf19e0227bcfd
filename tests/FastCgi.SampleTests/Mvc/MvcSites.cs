using MvcSample.Controllers;

namespace FastCgi.SampleTests.Mvc;

/// <summary>The sample as its own developers would test it: Program.cs as it is, its server replaced.</summary>
public sealed class MvcOnTestServer() : InMemorySample<HomeController>(overFastCgi: false);

/// <summary>The same over FastCGI, no web server.</summary>
public sealed class MvcOnFastCgi() : InMemorySample<HomeController>(overFastCgi: true)
{
    public override HttpClient CreateBrowser() =>
        Factory.CreateFastCgiClient(new FastCgiTestClientOptions { AllowAutoRedirect = false });
}

/// <summary>The same application as a process of its own, on our server behind nginx.</summary>
public sealed class MvcBehindNginx : ServedSample
{
    private protected override Task<ProcessSite> StartAsync(string data) => ProcessSite.StartAsync(
        "dotnet",
        [SampleProgram.FileOf("Mvc"), "--data", data],
        SampleProgram.FolderOf("Mvc"),
        // The environment that WebApplicationFactory chooses.
        new Dictionary<string, string> { ["ASPNETCORE_ENVIRONMENT"] = "Development" });
}

/// <summary>UseFastCgi in Program.cs is in nobody's way: TestServer replaces our server as it does Kestrel.</summary>
public sealed class MvcOnTestServerTests(MvcOnTestServer site) : MvcTests(site), IClassFixture<MvcOnTestServer>;

public sealed class MvcOnFastCgiTests(MvcOnFastCgi site) : MvcTests(site), IClassFixture<MvcOnFastCgi>;

public sealed class MvcBehindNginxTests(MvcBehindNginx site) : MvcTests(site), IClassFixture<MvcBehindNginx>;
