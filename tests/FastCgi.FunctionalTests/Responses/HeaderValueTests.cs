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
    public Task A_length_that_is_no_number_throws_where_it_is_set() =>
        AssertRespondsAsync((200, "0", ""), Run(context =>
        {
            var headers = context.Response.Headers;
            Assert.Throws<InvalidOperationException>(() => headers["Content-Length"] = "abc");
            Assert.Throws<InvalidOperationException>(() => headers["Content-Length"] = "-1");
            Assert.Throws<InvalidOperationException>(() => headers["Content-Length"] = new(["1", "2"]));
            Assert.Null(context.Response.ContentLength);
        }));

    [Fact]
    public async Task An_Alt_Svc_of_the_application_is_sent()
    {
        var response = await RespondAsync(Run(context => context.Response.Headers.AltSvc = "h3=\":443\""));

        Assert.Equal("h3=\":443\"", response.Header("Alt-Svc"));
    }

    [Fact]
    public async Task A_replaced_collection_is_sent_and_is_not_that_of_the_next_request()
    {
        var peer = await StartAndConnectAsync(Run(context =>
        {
            var feature = context.Features.Get<IHttpResponseFeature>()!;
            var request = context.Features.Get<IHttpRequestFeature>()!;
            Assert.IsNotType<HeaderDictionary>(feature.Headers);
            Assert.IsNotType<HeaderDictionary>(request.Headers);
            Assert.Equal("a", request.Headers.Host);
            feature.Headers = new HeaderDictionary { ["X-Mine"] = "1" };
            request.Headers = new HeaderDictionary();
        }));

        for (var i = 0; i < 3; i++)
        {
            var response = await peer.RoundTripAsync(Get() with { Headers = [("Host", "a")] });
            Assert.Equal("1", response.Header("X-Mine"));
        }
    }

    [Fact]
    public async Task A_reason_phrase_cannot_split_the_head()
    {
        var response = await RespondAsync(Run(context =>
            context.Features.Get<IHttpResponseFeature>()!.ReasonPhrase = "OK\r\nSet-Cookie: evil=1"));

        Assert.Equal(200, response.StatusCode);
        Assert.Null(response.Header("Set-Cookie"));
    }

    [Fact]
    public async Task Replaced_bodies_are_not_those_of_the_next_request()
    {
        var peer = await StartAndConnectAsync(context =>
        {
            Assert.IsNotType<MemoryStream>(context.Request.Body);
            Assert.IsNotType<MemoryStream>(context.Response.Body);
            context.Response.Body = new MemoryStream();
            var first = context.Response.BodyWriter;
            context.Response.Body = new MemoryStream();
            Assert.NotSame(first, context.Response.BodyWriter);
            context.Request.Body = new MemoryStream();
            return context.Response.WriteAsync("hello, world");
        });

        for (var i = 0; i < 3; i++)
        {
            var response = await peer.RoundTripAsync(Post("body"));
            Assert.Equal((200, ""), (response.StatusCode, response.BodyText));
        }
    }
}
