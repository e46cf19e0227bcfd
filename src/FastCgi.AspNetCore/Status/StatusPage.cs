using System.Text;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Status;

/// <summary>The status page in the format that the query asks for.</summary>
internal sealed class StatusPage(IStatusSource source) : ServerPage
{
    public override ServerAnswer Answer(string query)
    {
        StatusSnapshot status = source.Take(Asks(query, "full"));
        return Asks(query, "html") ? Page("text/html;charset=UTF-8", StatusAsHtml.Write(status))
            : Asks(query, "xml") ? Page("text/xml;charset=UTF-8", StatusAsXml.Write(status))
            : Asks(query, "json") ? new ServerAnswer(200, "application/json", StatusAsJson.Write(status))
            : Asks(query, "openmetrics") ? Page(
                "application/openmetrics-text; version=1.0.0; charset=utf-8", StatusAsMetrics.Write(status))
            : ServerAnswer.Text(200, StatusAsText.Write(status));
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
}
