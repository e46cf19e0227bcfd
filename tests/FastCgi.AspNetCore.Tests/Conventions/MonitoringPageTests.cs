using System.Diagnostics.Metrics;
using FastCgi.Client;
using FastCgi.Gateway;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>docs/monitoring.md has every log event and every instrument, as the code has them.</summary>
public sealed partial class MonitoringPageTests
{
    private const string Accept = "FASTCGI_ACCEPT_MONITORING";

    private static readonly Assembly[] s_assemblies =
        [typeof(FastCgiServerOptions).Assembly, typeof(FastCgiGatewayOptions).Assembly, typeof(FastCgiHandler).Assembly];

    [Fact]
    public void It_has_every_log_event() => AssertHas(
        "log events",
        "| id | name | level | text |\n| ---: | --- | --- | --- |\n",
        from log in Logs()
        orderby log.EventId, log.EventName, log.Message
        select $"| {log.EventId} | {log.EventName} | {Level(log)} | {Text(log.Message)} |\n");

    /// <summary>An id that no entry has would be one that a reader waits for in vain.</summary>
    [Fact]
    public void Every_id_is_of_an_entry() => Rule.Holds(
        from type in s_assemblies.SelectMany(static assembly => assembly.GetTypes())
        where type.Name is "LogEvents" or "GatewayEvents"
        from id in type.GetFields(BindingFlags.Public | BindingFlags.Static)
        where !Logs().Any(log => log.EventId == (int)id.GetRawConstantValue()!)
        select $"{type.Name}.{id.Name}");

    [Fact]
    public void It_has_every_instrument()
    {
        using ServiceProvider services = new ServiceCollection().AddMetrics().BuildServiceProvider();
        IMeterFactory factory = services.GetRequiredService<IMeterFactory>();
        List<Instrument> instruments = [];
        using MeterListener listener = new()
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Scope == factory)
                {
                    instruments.Add(instrument);
                }
            },
        };
        listener.Start();
        _ = new ServerMetrics(factory, static () => 0);
        using FastCgiHandler handler = new(new FastCgiHandlerOptions { Endpoint = "127.0.0.1:9", MeterFactory = factory });

        AssertHas(
            "instruments",
            "| meter | instrument | kind | unit | meaning |\n| --- | --- | --- | --- | --- |\n",
            from instrument in instruments
            orderby instrument.Meter.Name, instrument.Name
            select $"| `{instrument.Meter.Name}` | `{instrument.Name}` | {Kind(instrument)} | `{instrument.Unit}` | " +
                $"{instrument.Description} |\n");
    }

    private static IEnumerable<LoggerMessageAttribute> Logs() =>
        from type in s_assemblies.SelectMany(static assembly => assembly.GetTypes())
        from method in type.GetMethods(
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly)
        let log = method.GetCustomAttribute<LoggerMessageAttribute>()
        where log is not null
        select new LoggerMessageAttribute(log.EventId, log.Level, log.Message) { EventName = log.EventName ?? method.Name };

    private static string Level(LoggerMessageAttribute log) =>
        Enum.IsDefined(log.Level) && log.Level != LogLevel.None ? $"{log.Level}" : "varies";

    /// <summary>The first sentence, without the ids that come first in most of them.</summary>
    private static string Text(string message) => FirstSentence().Match(Ids().Replace(message, "")).Value
        .Replace("|", "\\|", StringComparison.Ordinal)
        .Replace("<", "&lt;", StringComparison.Ordinal)
        .ReplaceLineEndings(" ");

    [GeneratedRegex("""^Connection id "\{ConnectionId\}"(?:, (?:Request|FastCGI) id "?\{\w+\}"?|, request \{\w+\})?:? """)]
    private static partial Regex Ids();

    [GeneratedRegex(@"^.+?(?:[.!](?= [A-Z{])|$)", RegexOptions.Singleline)]
    private static partial Regex FirstSentence();

    /// <summary><c>ObservableUpDownCounter`1</c> is an up-down counter to those who read it.</summary>
    private static string Kind(Instrument instrument) => instrument.GetType().Name.Split('`')[0]
        .Replace("Observable", "", StringComparison.Ordinal) switch
    {
        "UpDownCounter" => "up-down counter",
        var kind => kind.ToLowerInvariant(),
    };

    private static void AssertHas(string name, string head, IEnumerable<string> rows)
    {
        string begin = $"<!-- The table of {name} begins here. -->\n";
        string finish = $"<!-- The table of {name} ends here. -->\n";
        string table = $"\n{head}{string.Concat(rows.Distinct())}\n";
        string path = Path.Combine(Source.Root, "docs", "monitoring.md");
        string page = File.ReadAllText(path);
        int start = page.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        int end = page.IndexOf(finish, StringComparison.Ordinal);
        Assert.True(start >= begin.Length && end >= start, $"docs/monitoring.md has no place for the table of {name}.");
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            File.WriteAllText(path, page[..start] + table + page[end..]);
            return;
        }

        Assert.True(
            page[start..end] == table,
            $"docs/monitoring.md has another table of {name} than the code:\n{table}\n" +
            $"If that is meant, run this test with {Accept}=1 in the environment and commit the file.");
    }
}
