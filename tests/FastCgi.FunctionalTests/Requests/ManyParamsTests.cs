namespace FastCgi.FunctionalTests.Requests;

/// <summary>
/// Row P8 of the hard inputs at the socket. By default there are too few params to search long; where more are allowed,
/// they are sorted and bisected, which ParamIndexTests counts.
/// </summary>
public sealed class ManyParamsTests : FunctionalTest
{
    private const int Many = 20_000;

    [Fact]
    [HardInput("P8")]
    public async Task Thousands_of_distinct_names_are_431_by_default()
    {
        var runs = 0;
        var peer = await StartAndConnectAsync(Run(_ => Interlocked.Increment(ref runs)));

        // Short ones: it is the count that is too large, long before the size.
        await peer.SendRequestAsync(Get() with { ExtraParams = Names(count: 3000, name: i => $"HTTP_{i:X}") });

        Assert.Equal(431, (await peer.ExpectResponseAsync()).StatusCode);
        Assert.Equal(0, runs);
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    public async Task The_number_of_params_has_a_limit_of_its_own()
    {
        var request = Get() with { ExtraParams = Names(count: 400, name: i => $"P{i}") };
        var count = request.ToParams().Count;
        var peer = await StartAndConnectAsync(
            context => context.Response.WriteAsync(
                $"{context.Features.Get<IFastCgiRequestFeature>()!.ParameterCount}"),
            options => options.Limits.MaxRequestParameterCount = count);

        Assert.Equal($"{count}", (await peer.RoundTripAsync(request)).BodyText);

        var more = request with { ExtraParams = Names(count: 401, name: i => $"P{i}") };
        Assert.Equal(431, (await peer.RoundTripAsync(more)).StatusCode);
    }

    [Fact]
    [HardInput("P8")]
    public Task Where_they_are_allowed_each_of_thousands_is_found() => AssertRespondsAsync(
        (200, null, "all found"),
        context =>
        {
            var headers = context.Request.Headers;
            for (var i = 0; i < Many; i++)
            {
                Assert.Equal($"{i}", headers[$"X-{i:D6}"]);
            }

            // Now all of them are copied into a dictionary, and counted.
            Assert.Equal(Many + 1, headers.Count);
            return context.Response.WriteAsync("all found");
        },
        Get() with { ExtraParams = Names(Many, name: i => $"HTTP_X_{i:D6}") },
        AllowMany);

    /// <summary>Names that differ in case and in hyphens only are equal to the index: they have no order.</summary>
    [Fact]
    [HardInput("P8")]
    public Task Thousands_of_one_name_in_other_letters_are_lines_of_one_header()
    {
        const int Letters = 12;
        return AssertRespondsAsync(
            (200, null, "all found"),
            context =>
            {
                var lines = context.Request.Headers["ABCDEFGHIJKL"];
                Assert.Equal(Enumerable.Range(0, 1 << Letters).Select(i => $"{i}"), lines);
                return context.Response.WriteAsync("all found");
            },
            Get() with
            {
                ExtraParams = Names(1 << Letters, name: i => "HTTP_" + string.Concat(
                    Enumerable.Range(0, Letters).Select(bit => (char)((i >> bit & 1) == 0 ? 'A' + bit : 'a' + bit)))),
            },
            AllowMany);
    }

    private static void AllowMany(FastCgiServerOptions options)
    {
        options.Limits.MaxRequestHeaderCount = 2 * Many;
        options.Limits.MaxRequestHeadersTotalSize = 10_000_000;
        options.Limits.MaxRequestParametersTotalSize = 10_000_000;
    }

    /// <summary>Each with its number for a value.</summary>
    private static List<(string Name, string Value)> Names(int count, Func<int, string> name) =>
        [.. Enumerable.Range(0, count).Select(i => (name(i), $"{i}"))];
}
