using System.Net;
using System.Text;

namespace FastCgi.AspNetCore.Operations.Status;

internal sealed partial class StatusPage
{
    /// <summary>An XML element for each field, spaces in its name as dashes.</summary>
    public static string AsXml(StatusSnapshot status)
    {
        var xml = new StringBuilder("<?xml version=\"1.0\" ?>\n<status>\n");
        AppendElements(xml, StatusField.OfServer(status), end: "\n");
        if (status.Requests is { } requests)
        {
            xml.Append("<processes>\n");
            foreach (var request in requests)
            {
                xml.Append("<process>");
                AppendElements(xml, StatusField.OfRequest(request, status.Now), end: "");
                xml.Append("</process>\n");
            }

            xml.Append("</processes>\n");
        }

        return xml.Append("</status>\n").ToString();
    }

    private static void AppendElements(StringBuilder xml, IEnumerable<StatusField> fields, string end)
    {
        foreach (StatusField field in fields)
        {
            string value = WebUtility.HtmlEncode(field.ForMachines() ?? "-");
            xml.Append('<').Append(field.ElementName).Append('>').Append(value)
                .Append("</").Append(field.ElementName).Append('>').Append(end);
        }
    }
}
