using System.Net;
using FastCgi.Testing;
using FormSample;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace FastCgi.SampleTests.Form;

/// <summary>Program.cs as it is, over FastCGI, for a client whose address the test chooses.</summary>
public sealed class FormOnFastCgi : FastCgiApplicationFactory<RequestLimits>, IFormSite
{
    public FormOnFastCgi() => Client = this.CreateFastCgiClient(
        new FastCgiTestClientOptions { AllowAutoRedirect = false, RemoteAddress = IPAddress.Parse(ClientAddress) });

    public HttpClient Client { get; }

    public string ClientAddress => "203.0.113.7";

    protected override void ConfigureWebHost(IWebHostBuilder builder) =>
        builder.ConfigureLogging(static logging => logging.ClearProviders());
}
