using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.Extensions.Logging;

namespace FastCgi.PeerTests.Status;

/// <summary>Our status page beside that of Debian's PHP-FPM: the same fields in the same order and of the same kind.</summary>
public sealed partial class PhpFpmStatusTests(PhpFpmPeerTests.Peer php)
    : IClassFixture<PhpFpmPeerTests.Peer>, IAsyncLifetime
{
    private readonly WorkDirectory _directory = new();
    private WebApplication _application = null!;

    public async ValueTask InitializeAsync()
    {
        await php.StartAsync();
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        builder.WebHost.UseFastCgi(options =>
        {
            options.ListenUnixSocket(_directory.File("ours.sock"));
            options.Status.Path = "/status";
            options.Status.PingPath = "/ping";
            options.Status.AllowedClients.Add(IPNetwork.Parse("192.0.2.7/32"));
        });
        _application = builder.Build();
        await _application.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        _directory.Dispose();
    }

    [Theory]
    [InlineData("/ping")]
    [InlineData("/status")]
    [InlineData("/status?html")]
    [InlineData("/status?xml")]
    [InlineData("/status?json")]
    [InlineData("/status?openmetrics")]
    public async Task The_heads_agree(string target)
    {
        var ours = await AskOursAsync(target);
        var theirs = await AskTheirsAsync(target);

        foreach (var name in new[] { "Content-Type", "Cache-Control", "Expires" })
        {
            Assert.Equal(theirs.Header(name), ours.Header(name));
        }

        Assert.Equal(theirs.StatusCode, ours.StatusCode);
    }

    [Theory]
    [InlineData("/ping")]
    [InlineData("/status")]
    [InlineData("/status?full")]
    public async Task Texts_agree_but_for_the_values(string target)
    {
        var (ours, theirs) = await GetAsync(target);

        Assert.Equal(Lines(FirstRequest(theirs)), Lines(FirstRequest(ours)));

        // Each kind of value: a number, a date, or a text.
        static IEnumerable<string> Lines(string text) => text.Split('\n').Select(static line =>
            TextValue().Replace(line, static match => match.Groups["name"].Value + Kind(match.Groups["value"].Value)));

        // PHP-FPM lists its idle processes too.
        static string FirstRequest(string text)
        {
            var stars = text.IndexOf("\n***", StringComparison.Ordinal);
            var second = stars < 0 ? -1 : text.IndexOf("\n***", stars + 1, StringComparison.Ordinal);
            return (second < 0 ? text : text[..second]).TrimEnd('\n');
        }
    }

    [Theory]
    [InlineData("/status?json")]
    [InlineData("/status?json&full")]
    public async Task Json_objects_agree_but_for_the_values(string target)
    {
        var (ours, theirs) = await GetAsync(target);

        Assert.Equal(Shape(theirs), Shape(ours));

        static IEnumerable<string> Shape(string text)
        {
            using var json = JsonDocument.Parse(text);
            return [.. Of(json.RootElement)];
        }

        static IEnumerable<string> Of(JsonElement element) => element.EnumerateObject().SelectMany(static property =>
            property.Value.ValueKind == JsonValueKind.Array
                ? Of(property.Value[0]).Prepend(property.Name)
                : [$"{property.Name}: {property.Value.ValueKind}"]);
    }

    [Theory]
    [InlineData("/status?xml")]
    [InlineData("/status?xml&full")]
    public async Task Xml_elements_agree_but_for_the_values(string target)
    {
        var (ours, theirs) = await GetAsync(target);

        Assert.Equal(Shape(theirs), Shape(ours));

        static IEnumerable<string> Shape(string text) => XDocument.Parse(text).Root!.DescendantsAndSelf()
            .Where(static element => element.ElementsBeforeSelf("process").FirstOrDefault() is null
                && element.Parent?.ElementsBeforeSelf("process").FirstOrDefault() is null)
            .Select(static element => $"{element.Name}: {(element.HasElements ? "" : Kind(element.Value))}");
    }

    [Theory]
    [InlineData("/status?html")]
    [InlineData("/status?html&full")]
    public async Task Html_cells_agree_but_for_the_values(string target)
    {
        var (ours, theirs) = await GetAsync(target);

        Assert.Equal(Headings(theirs), Headings(ours));

        static IEnumerable<string> Headings(string html) => Heading().Matches(html).Select(static match => match.Value);
    }

    [Fact]
    public async Task Metrics_agree_but_for_help_and_values()
    {
        var (ours, theirs) = await GetAsync("/status?openmetrics");

        Assert.Equal(Shape(theirs), Shape(ours));

        static IEnumerable<string> Shape(string text) => text.TrimEnd('\n').Split('\n')
            .Where(static line => !line.StartsWith("# HELP", StringComparison.Ordinal))
            .Select(static line => line.StartsWith('#') ? line : line.Split(' ')[0] + " " + Kind(line.Split(' ')[1]));
    }

    private static string Kind(string value) =>
        Number().IsMatch(value) ? "a number" : Date().IsMatch(value) ? "a date" : "a text";

    private async Task<(string Ours, string Theirs)> GetAsync(string target) =>
        ((await AskOursAsync(target)).BodyText, (await AskTheirsAsync(target)).BodyText);

    private Task<CgiResponse> AskOursAsync(string target) => AskAsync(_directory.File("ours.sock"), target);

    private Task<CgiResponse> AskTheirsAsync(string target) => AskAsync(php.Endpoint["unix:".Length..], target);

    private static async Task<CgiResponse> AskAsync(string socketPath, string target)
    {
        await using var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(socketPath));
        return await peer.RoundTripAsync(new RequestScript
        {
            Target = target,
            KeepConnection = false,
            ExtraParams = [("SCRIPT_FILENAME", "/srv" + target)],
        });
    }

    [GeneratedRegex(@"^(?<name>[A-Za-z ]+: +)(?<value>.*)$")]
    private static partial Regex TextValue();

    [GeneratedRegex("<th>[^<]*</th>")]
    private static partial Regex Heading();

    [GeneratedRegex(@"^\d+(\.\d\d)?$")]
    private static partial Regex Number();

    [GeneratedRegex(@"^\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000$")]
    private static partial Regex Date();
}
