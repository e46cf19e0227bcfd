using FastCgi.Tool.Output;
using FastCgi.WebServerKit;

namespace FastCgi.Tool.Tests.Configuration;

/// <summary>A value that the file cannot have is refused by name, and none is ignored.</summary>
public sealed class OptionCheckTests
{
    [Theory]
    [InlineData(""" "Endpoints": { "Main": "127.0.0.1:9000" } """, "FastCgi:Endpoints:Main '127.0.0.1:9000'")]
    [InlineData(""" "Limits": { "MaxRequestBodySize": "much" } """, "FastCgi:Limits:MaxRequestBodySize 'much'")]
    [InlineData(""" "Limits": { "MaxRequestBodySize": -1 } """, "FastCgi:Limits:MaxRequestBodySize '-1'")]
    public async Task Settings_that_the_server_refuses_are_status_2(string section, string expected)
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("appsettings.json"), $$"""{ "FastCgi": { {{section}} } }""");

        var run = await ToolRun.OfAsync("config", "nginx", "--settings", directory.File("appsettings.json"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(expected, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("unexpected", run.Error, StringComparison.Ordinal);
    }
}
