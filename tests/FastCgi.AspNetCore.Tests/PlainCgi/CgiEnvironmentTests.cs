using FastCgi.AspNetCore.PlainCgi;

namespace FastCgi.AspNetCore.Tests.PlainCgi;

public class CgiEnvironmentTests
{
    /// <summary>A web server, a shell or .NET may spell them otherwise, cut them, or add others.</summary>
    [Theory]
    [InlineData("--environment+Development", true, "--environment", "Development")]
    [InlineData("--environment%3DDevelopment", true, "--environment=Development")]
    [InlineData("--environment%3DDevelopment%00x", true, "--environment=Development")]
    [InlineData("--contentRoot%3D/a;b%26c", true, @"--contentRoot=/a\;b\&c")]
    [InlineData("--contentRoot%3D/%FF", true, "--contentRoot=/\uFFFD\uFFFD")]
    [InlineData("--contentRoot%3D/a%20b", true, "--contentRoot=/a", "b")]
    [InlineData("--environment+Development+++", true, "--urls", "fastcgi://127.0.0.1:9000", "--environment", "Development")]
    [InlineData("a+b+c", true, "c")]
    [InlineData("a%2Bb", true, "a+b")]
    [InlineData("a=b", true, "a=b")]
    [InlineData("a", false)]
    [InlineData("a", false, "--urls", "fastcgi://127.0.0.1:9000/a", "")]
    [InlineData("+%20%00", false, "", " ")]
    [InlineData("", false, "--environment", "Staging", "")]
    [InlineData(null, false, "--environment", "Staging")]
    public void The_words_of_a_query_are_found_among_the_arguments(
        string? query, bool isFound, params string[] arguments) =>
        Assert.Equal(isFound, CgiEnvironment.IsPassedOn(query, arguments));

    /// <summary>A client chooses the names of its headers, so two underscores do not make one a setting.</summary>
    [Theory]
    [InlineData("HTTP_X__TOKEN", true)]
    [InlineData("HTTP_FastCgi__Limits__MaxRequestBodySize", true)]
    [InlineData("REQUEST_URI", true)]
    [InlineData("ASPNETCORE_PATHBASE", true)]
    [InlineData("ASPNETCORE_URLS", false)]
    [InlineData("FastCgi__Limits__MaxRequestBodySize", false)]
    [InlineData("Logging__LogLevel__Default", false)]
    public void Settings_of_the_process_are_no_params(string name, bool isOfRequest) =>
        Assert.Equal(isOfRequest, CgiEnvironment.IsOfRequest(Encoding.ASCII.GetBytes(name)));
}
