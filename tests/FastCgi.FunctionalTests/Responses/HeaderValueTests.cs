using Microsoft.Extensions.Primitives;

namespace FastCgi.FunctionalTests.Responses;

/// <summary>What may stand in the head of a response.</summary>
public sealed class HeaderValueTests : FunctionalTest
{
    [Fact]
    public async Task Another_encoding_allows_letters_in_values_but_not_in_names()
    {
        var response = await RespondAsync(
            Run(context =>
            {
                var headers = context.Response.Headers;
                Assert.Throws<InvalidOperationException>(() => headers.Append("X-Näme", "value"));
                Assert.Throws<InvalidOperationException>(() => headers.Append("X-Name", "a\rb"));
                headers.Append("X-Name", "你");
            }),
            options: options => options.ResponseHeaderEncodingSelector = _ => Encoding.UTF8);

        Assert.Contains("X-Name: " + Encoding.Latin1.GetString("你"u8), response.Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_an_encoding_cannot_express_is_an_error_of_the_application()
    {
        var strict = Encoding.GetEncoding(
            Encoding.Latin1.CodePage, EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback);
        var peer = await StartAndConnectAsync(
            context =>
            {
                context.Response.Headers["X-Name"] = context.Request.Path == "/fail" ? "你" : "ü";
                return context.Response.WriteAsync("text");
            },
            options => options.ResponseHeaderEncodingSelector = _ => strict);
        Logs.ExpectError(ApplicationError);

        Assert.Equal(500, (await peer.RoundTripAsync(Get("/fail"))).StatusCode);
        Assert.Equal("ü", (await peer.RoundTripAsync(Get())).Header("X-Name"));
    }

    [Fact]
    public async Task A_null_value_is_no_value()
    {
        var response = await RespondAsync(Run(context =>
        {
            var headers = context.Response.Headers;
            Assert.Equal(0, headers["Warning"].Count);
            headers.Add("Warning", new StringValues((string?)null));
            Assert.Equal(0, headers["Warning"].Count);
            headers.Add("Warning", "Hello");
        }));

        Assert.Equal("Hello", response.Header("Warning"));
    }

    [Fact]
    public async Task An_Alt_Svc_of_the_application_is_sent()
    {
        var response = await RespondAsync(Run(context => context.Response.Headers.AltSvc = "h3=\":443\""));

        Assert.Equal("h3=\":443\"", response.Header("Alt-Svc"));
    }
}
