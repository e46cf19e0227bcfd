using System.Text;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Operations.Status;

/// <summary>The status page in the format that the query asks for.</summary>
/// <param name="take">Takes the figures, and all running requests if it is true.</param>
internal sealed partial class StatusPage(Func<bool, StatusSnapshot> take)
{
    private const int ValueColumn = 22;

    public ServerAnswer Answer(string query)
    {
        StatusSnapshot status = take(Asks(query, "full"));
        return Asks(query, "html") ? Page("text/html;charset=UTF-8", AsHtml(status))
            : Asks(query, "xml") ? Page("text/xml;charset=UTF-8", AsXml(status))
            : Asks(query, "json") ? new ServerAnswer(200, "application/json", AsJson(status))
            : Asks(query, "openmetrics") ? Page(
                "application/openmetrics-text; version=1.0.0; charset=utf-8", AsMetrics(status))
            : ServerAnswer.Text(200, AsText(status));
    }

    private static ServerAnswer Page(string contentType, string body) =>
        new(200, contentType, Encoding.UTF8.GetBytes(body));

    /// <summary>The query has the key, with or without a value.</summary>
    private static bool Asks(string query, string key)
    {
        foreach (Range part in query.AsSpan().TrimStart('?').Split('&'))
        {
            ReadOnlySpan<char> pair = query.AsSpan().TrimStart('?')[part];
            int equals = pair.IndexOf('=');
            if ((equals < 0 ? pair : pair[..equals]).SequenceEqual(key))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>One field a line, and a line of stars before each request.</summary>
    public static string AsText(StatusSnapshot status)
    {
        var text = new StringBuilder();
        AppendLines(text, StatusField.OfServer(status));
        foreach (var request in status.Requests ?? [])
        {
            text.Append("\n************************\n");
            AppendLines(text, StatusField.OfRequest(request, status.Now));
        }

        return text.ToString();
    }

    private static void AppendLines(StringBuilder text, IEnumerable<StatusField> fields)
    {
        foreach (StatusField field in fields)
        {
            text.Append($"{field.NameInText ?? field.Name}:".PadRight(ValueColumn));
            text.Append(field.ForPeople()).Append('\n');
        }
    }
}
