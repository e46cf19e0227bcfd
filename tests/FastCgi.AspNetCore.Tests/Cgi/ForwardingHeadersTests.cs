namespace FastCgi.AspNetCore.Tests.Cgi;

public class ForwardingHeadersTests
{
    public static TheoryData<string, string> Forwarding => new()
    {
        { "HTTP_FORWARDED", "Forwarded" },
        { "HTTP_X_FORWARDED", "X-Forwarded" },
        { "HTTP_X_FORWARDED_FOR", "X-Forwarded-For" },
        { "HTTP_X_FORWARDED_PROTO", "X-Forwarded-Proto" },
        { "HTTP_X_FORWARDED_HOST", "X-Forwarded-Host" },
        { "HTTP_X_FORWARDED_PREFIX", "X-Forwarded-Prefix" },
        { "HTTP_X_FORWARDED_PORT", "X-Forwarded-Port" },
        { "HTTP_X_FORWARDED_CLIENT_CERT", "X-Forwarded-Client-Cert" },
        { "HTTP_X-FORWARDED-FOR", "X-Forwarded-For" },
        { "HTTP_x_forwarded_user", "X-Forwarded-User" },
        { "HTTP_X_REAL_IP", "X-Real-IP" },
        { "HTTP_X-REAL_IP", "X-Real-IP" },
        { "HTTP_X_ORIGINAL_FOR", "X-Original-For" },
        { "HTTP_X_ORIGINAL_URL", "X-Original-Url" },
    };

    [Theory, MemberData(nameof(Forwarding))]
    public void A_forwarding_header_is_not_among_the_headers(string param, string header)
    {
        var request = ParamSet.With((param, "evil"), (param, "too"), ("HTTP_ACCEPT", "a"));

        Assert.True(request.HasForwardingHeader);
        Assert.Equal(param, request.ForwardingParam);
        Assert.False(request.Headers.ContainsKey(header));
        Assert.False(request.Headers.ContainsKey(header.Replace('-', '_')));
        Assert.Equal(["Accept"], request.Headers.Keys);
        Assert.False(request.Headers.ContainsKey(header));
        Assert.Equal("evil, too", request.Params.GetServerVariable(param));
    }

    [Theory, MemberData(nameof(Forwarding))]
    public void An_option_shows_them(string param, string header)
    {
        var options = new FastCgiServerOptions { AllowForwardedHeaders = true };
        if (param.Any(char.IsLower) || param.Contains('-', StringComparison.Ordinal))
        {
            // A name in the letters of CGI is the one that counts.
            param = "HTTP_" + header.ToUpperInvariant().Replace('-', '_');
        }

        var request = ParamSet.Load(options, [.. ParamSet.Minimal, ("REMOTE_ADDR", "::1"), (param, "v")]);

        Assert.False(request.HasForwardingHeader);
        Assert.Equal("v", request.Headers[header]);
        Assert.Equal([header], request.Headers.Keys);
    }

    public static TheoryData<string> OtherNames =>
    [
        "HTTP_X_FORWARDEDFOR", "HTTP_X_ORIGINAL", "HTTP_X_ORIGIN", "HTTP_X_REAL_IP_2", "HTTP_MAX_FORWARDS",
        "X_FORWARDED_FOR", "FORWARDED",
    ];

    [Theory, MemberData(nameof(OtherNames))]
    public void Other_names_are_left_alone(string param)
    {
        var request = ParamSet.With((param, "v"));

        Assert.False(request.HasForwardingHeader);
        Assert.Equal(param.StartsWith("HTTP_", StringComparison.Ordinal) ? 1 : 0, request.Headers.Count);
    }

    [Fact]
    public void An_empty_one_and_one_of_the_request_before_are_none()
    {
        var request = ParamSet.With(("HTTP_X_FORWARDED_FOR", ""));
        Assert.False(request.HasForwardingHeader);

        ParamSet.LoadNext(request, ("HTTP_X_FORWARDED_FOR", "x"));
        Assert.True(request.HasForwardingHeader);
        ParamSet.LoadNext(request);
        Assert.False(request.HasForwardingHeader);
    }
}
