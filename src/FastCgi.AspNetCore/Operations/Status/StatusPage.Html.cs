using System.Net;
using System.Text;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Operations.Status;

internal sealed partial class StatusPage
{
    private const string HtmlHead =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>FastCGI status</title></head>\n<body>\n";

    /// <summary>For a browser: a table of the figures, and a table of the running requests.</summary>
    public static string AsHtml(StatusSnapshot status)
    {
        var html = new StringBuilder(HtmlHead).Append("<table>\n");
        foreach (StatusField field in StatusField.OfServer(status))
        {
            html.Append("<tr>");
            AppendCell(html, "th", field.Name);
            AppendCell(html, "td", field.ForPeople());
            html.Append("</tr>\n");
        }

        html.Append("</table>\n");
        if (status.Requests is { Count: > 0 } requests)
        {
            AppendRequests(html, requests, status.Now);
        }

        return html.Append("</body></html>\n").ToString();
    }

    private static void AppendRequests(
        StringBuilder html, IReadOnlyList<RequestSnapshot> requests, DateTimeOffset now)
    {
        html.Append("<table border=\"1\">\n<tr>");
        foreach (StatusField field in StatusField.OfRequest(requests[0], now))
        {
            AppendCell(html, "th", field.Name);
        }

        html.Append("</tr>\n");
        foreach (RequestSnapshot request in requests)
        {
            html.Append("<tr>");
            foreach (StatusField field in StatusField.OfRequest(request, now))
            {
                AppendCell(html, "td", field.ForPeople());
            }

            html.Append("</tr>\n");
        }

        html.Append("</table>\n");
    }

    private static void AppendCell(StringBuilder html, string element, string value) =>
        html.Append('<').Append(element).Append('>').Append(WebUtility.HtmlEncode(value))
            .Append("</").Append(element).Append('>');
}
