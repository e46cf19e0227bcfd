using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;
using Microsoft.AspNetCore.WebUtilities;

namespace CrudApiSample.Records;

/// <summary>A record in a form: <c>title=Hello&amp;visits=1&amp;author__is_null</c>.</summary>
internal static class FormRecord
{
    private const string NullSuffix = "__is_null";

    public static JsonElement Read(HttpRequest request, ApiOptions options, Table table, byte[] form)
    {
        RequireOwnSite(request, options.CorsOrigins);
        if (!request.ContentType!.StartsWith("application/x-www-form-urlencoded", StringComparison.OrdinalIgnoreCase))
        {
            Refuse.NoJson();
        }

        var record = new JsonObject();
        foreach (var (name, values) in QueryHelpers.ParseQuery(Encoding.UTF8.GetString(form)))
        {
            var isNull = name.EndsWith(NullSuffix, StringComparison.Ordinal);
            record[isNull ? name[..^NullSuffix.Length] : name] =
                isNull ? null : ReadValue(table.Find(name), values.ToString());
        }

        return JsonSerializer.SerializeToElement(record);
    }

    /// <summary>Without CORS a page of any site can send a form, as it cannot send JSON.</summary>
    private static void RequireOwnSite(HttpRequest request, IList<string> origins)
    {
        var origin = request.Headers.Origin.ToString();
        if (origin.Length > 0 && origin != $"{request.Scheme}://{request.Host}"
            && !origins.Contains(origin) && !origins.Contains("*"))
        {
            Refuse.ForeignForm(origin);
        }
    }

    /// <summary>Numbers and booleans as such. A text that is none stays one, and is refused as that.</summary>
    private static JsonNode? ReadValue(Column? column, string text) =>
        column is not null && ColumnValue.TryParse(column, text, out var value)
        && value is long or ulong or double or bool
            ? JsonSerializer.SerializeToNode(value)
            : text;
}
