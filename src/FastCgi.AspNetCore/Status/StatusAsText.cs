using System.Text;

namespace FastCgi.AspNetCore.Status;

/// <summary>The status page as text: one field a line, and a line of stars before each request.</summary>
internal static class StatusAsText
{
    private const int ValueColumn = 22;

    public static string Write(StatusSnapshot status)
    {
        var text = new StringBuilder();
        Append(text, StatusFields.OfServer(status));
        foreach (var request in status.Requests ?? [])
        {
            text.Append("\n************************\n");
            Append(text, StatusFields.OfRequest(request, status.Now));
        }

        return text.ToString();
    }

    private static void Append(StringBuilder text, IEnumerable<StatusField> fields)
    {
        foreach (StatusField field in fields)
        {
            text.Append($"{field.NameInText ?? field.Name}:".PadRight(ValueColumn));
            text.Append(StatusFields.ForPeople(field)).Append('\n');
        }
    }
}
