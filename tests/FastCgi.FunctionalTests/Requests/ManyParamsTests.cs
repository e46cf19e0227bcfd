namespace FastCgi.FunctionalTests.Requests;

/// <summary>
/// Row P8 of the hard inputs at the socket. By default there are too few params to search long; where more are allowed,
/// they are sorted and bisected, which ParamIndexTests counts.
/// </summary>
public sealed class ManyParamsTests : FunctionalTest
{
    [Fact]
    [HardInput("P8")]
    public async Task Thousands_of_distinct_names_are_431_by_default()
    {
        var runs = 0;

        // Short ones: it is the count that is too large, long before the size.
        var response = await RespondAsync(
            Run(_ => Interlocked.Increment(ref runs)),
            Get() with { ExtraParams = Names(3000, static i => $"HTTP_{i:X}") });

        Assert.Equal((431, 0), (response.StatusCode, runs));
        await AssertServesAnotherConnectionAsync();
    }

    /// <summary>Names that differ in case and in hyphens only are equal to the index: they have no order.</summary>
    [Fact]
    [HardInput("P8")]
    public Task Thousands_of_one_name_in_other_letters_are_lines_of_one_header()
    {
        const int Letters = 12;
        const int Many = 1 << Letters;
        return AssertRespondsAsync(
            (200, null, "all found"),
            context =>
            {
                var lines = context.Request.Headers["ABCDEFGHIJKL"];
                Assert.Equal(Enumerable.Range(0, Many).Select(i => $"{i}"), lines);
                return context.Response.WriteAsync("all found");
            },
            Get() with
            {
                ExtraParams = Names(Many, static i => "HTTP_" + string.Concat(
                    Enumerable.Range(0, Letters).Select(bit => (char)((i >> bit & 1) == 0 ? 'A' + bit : 'a' + bit)))),
            },
            options =>
            {
                options.Limits.MaxRequestHeaderCount = 2 * Many;
                options.Limits.MaxRequestHeadersTotalSize = 10_000_000;
                options.Limits.MaxRequestParametersTotalSize = 10_000_000;
            });
    }

    /// <summary>Each with its number for a value.</summary>
    private static List<(string Name, string Value)> Names(int count, Func<int, string> name) =>
        [.. Enumerable.Range(0, count).Select(i => (name(i), $"{i}"))];
}
