namespace FastCgi.FunctionalTests.Requests;

/// <summary>Row P15 of the hard inputs.</summary>
public sealed class TargetTests : FunctionalTest
{
    private static readonly RequestDelegate s_describe = context => context.Response.WriteAsync(string.Join(
        ' ',
        context.Features.Get<IHttpRequestFeature>()!.RawTarget,
        $"[{context.Request.Path.Value}]",
        $"[{context.Request.QueryString}]"));

    public static readonly (string Target, string Expected)[] Targets =
    [
        ("/", "/ [/] []"),
        ("/a%20b?c=d%20e", "/a%20b?c=d%20e [/a b] [?c=d%20e]"),
        ("/a%2Fb//c", "/a%2Fb//c [/a%2Fb//c] []"),
        ("/a%252Fb", "/a%252Fb [/a%2Fb] []"),
        ("/a/./b/../c", "/a/./b/../c [/a/c] []"),
        ("/a/%2e%2e/c", "/a/%2e%2e/c [/c] []"),
        ("/%0a", "/%0a [/\n] []"),
        ("/gr%C3%BC%C3%9Fe", "/gr%C3%BC%C3%9Fe [/grüße] []"),
        ("/a\\b", "/a\\b [/a\\b] []"),
        ("http://example.test/path?x", "/path?x [/path] [?x]"),
    ];

    [Fact]
    [HardInput("P15")]
    public async Task The_target_is_decoded_by_one_rule()
    {
        var peer = await StartAndConnectAsync(s_describe);

        foreach (var (target, expected) in Targets)
        {
            Assert.Equal(expected, (await peer.RoundTripAsync(Get(target))).BodyText);
        }
    }

    /// <summary>RFC 9112, section 3.2.4. With an empty path, a rule for a path would not hold.</summary>
    [Fact]
    [HardInput("P15")]
    public async Task The_asterisk_is_a_target_of_OPTIONS_alone()
    {
        var peer = await StartAndConnectAsync(s_describe);

        Assert.Equal("* [] []", (await peer.RoundTripAsync(Get("*") with { Method = "OPTIONS" })).BodyText);
        foreach (var method in (string[])["GET", "HEAD", "POST", "PROPFIND"])
        {
            var refused = await peer.RoundTripAsync(Get("*") with { Method = method });
            Assert.Equal((405, "OPTIONS"), (refused.StatusCode, refused.Header("Allow")));
        }

        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task A_refusal_of_HEAD_has_the_head_of_GET_and_no_body()
    {
        var peer = await StartAndConnectAsync(s_describe);

        foreach (var request in (RequestScript[])[Get("/a%00b"), Get() with { Headers = [("Host", "a b")] }])
        {
            var whole = await peer.RoundTripAsync(request);
            var head = await peer.RoundTripAsync(request with { Method = "HEAD" });

            Assert.NotEmpty(whole.Body);
            Assert.Equal((400, 0, 0), (head.StatusCode, head.Body.Length, head.ProtocolStatus));
            Assert.Equal(whole.Headers, head.Headers);
        }

        Assert.NotEmpty((await peer.RoundTripAsync(Get("/a%00b"))).Body);
    }
}
