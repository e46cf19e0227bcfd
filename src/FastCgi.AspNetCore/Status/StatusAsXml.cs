using System.Net;
using System.Text;

namespace FastCgi.AspNetCore.Status;

/// <summary>The status page as XML: an element for each field, spaces in its name as dashes.</summary>
internal static class StatusAsXml
{
    public static string Write(StatusSnapshot status)
    {
        var xml = new StringBuilder("<?xml version=\"1.0\" ?>\n<status>\n");
        Append(xml, StatusFields.OfServer(status), end: "\n");
        if (status.Requests is { } requests)
        {
            xml.Append("<processes>\n");
            foreach (var request in requests)
            {
                xml.Append("<process>");
                Append(xml, StatusFields.OfRequest(request, status.Now), end: "");
                xml.Append("</process>\n");
            }

            xml.Append("</processes>\n");
        }

        return xml.Append("</status>\n").ToString();
    }

    private static void Append(StringBuilder xml, IEnumerable<StatusField> fields, string end)
    {
        foreach (StatusField field in fields)
        {
            string value = WebUtility.HtmlEncode(StatusFields.ForMachines(field) ?? "-");
            xml.Append('<').Append(field.ElementName).Append('>').Append(value)
                .Append("</").Append(field.ElementName).Append('>').Append(end);
        }
    }
}
