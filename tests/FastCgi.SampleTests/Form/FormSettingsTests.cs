using FastCgi.AspNetCore;
using FormSample;
using Microsoft.Extensions.Options;

namespace FastCgi.SampleTests.Form;

/// <summary>appsettings.json and the command line reach the options of the server and of the limiter.</summary>
public sealed class FormSettingsTests
{
    [Fact]
    public async Task The_settings_of_the_file_arrive()
    {
        await using var site = FormOnTestServer.Start([]);
        var limits = site.Services.GetRequiredService<IOptions<FastCgiServerOptions>>().Value.Limits;
        var requests = site.Services.GetRequiredService<IOptions<RequestLimits>>().Value;

        Assert.Equal(16384, limits.MaxRequestParametersTotalSize);
        Assert.Equal(8388608, limits.MaxRequestBodySize);
        Assert.Equal(TimeSpan.FromSeconds(10), limits.RequestHeadersTimeout);
        Assert.Equal(TimeSpan.FromSeconds(10), limits.SendTimeout);
        Assert.Equal((256, 1280), (requests.MaxConcurrent, requests.QueueLimit));
    }

    [Fact]
    public async Task Port_and_bind_address_are_listened_on()
    {
        await using var sample = SampleProgram.Launch("Form", "--urls", "fastcgi://127.0.0.1:0");

        await sample.Log.WaitForAsync("Now listening on: fastcgi://127.0.0.1:");
    }

    [Fact]
    public async Task A_limit_of_no_request_is_refused_at_the_start()
    {
        await using var sample = SampleProgram.Launch(
            "Form", "--urls", "fastcgi://127.0.0.1:0", "--Requests:MaxConcurrent", "0");

        Assert.NotEqual(0, await sample.EndAsync());
        await sample.Log.WaitForAsync("The field MaxConcurrent must be between 1 and ");
    }
}
