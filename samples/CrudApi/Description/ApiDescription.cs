using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using CrudApiSample.Records;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Description;

/// <summary>
/// The OpenAPI document: <c>openapi.json</c> of this folder, with the tables that the catalogue has at this moment.
/// </summary>
internal sealed class ApiDescription(
    CatalogueCache catalogues, ExampleRecords examples, IOptions<ApiOptions> options, Access access)
{
    private readonly string _template = Read("openapi.json")
        .Replace("{PageSize}", $"{options.Value.PageSize}", StringComparison.Ordinal)
        .Replace("{MaxPageSize}", $"{options.Value.MaxPageSize}", StringComparison.Ordinal);

    public async Task WriteAsync(HttpContext context)
    {
        var catalogue = await catalogues.GetAsync(context);
        // The description is open to everybody, records only to those who may read them.
        var records = access.IsOpen || context.User.Identity?.IsAuthenticated == true
            ? await examples.ReadAsync(catalogue, context.RequestAborted)
            : new Dictionary<string, JsonObject>();
        var document = JsonNode.Parse(_template)!.AsObject();
        document["info"]!["x-queries"] = ExampleQueries.Write(catalogue, records);
        // Without a host: the page may be reached by several names.
        var pathBase = context.Request.PathBase;
        document["servers"] = new JsonArray(
            new JsonObject { ["url"] = pathBase.HasValue ? pathBase.ToUriComponent() : "/" });
        RequireAccess(document);
        foreach (var (number, table) in catalogue.Tables.Index())
        {
            // Names of components have fewer characters than names of tables.
            var isPlain = table.Name.All(letter => char.IsAsciiLetterOrDigit(letter) || letter == '_');
            new TableOperations(
                document, table, isPlain ? table.Name : $"{number + 1}", records.GetValueOrDefault(table.Name)).Add();
        }

        await JsonAnswer.SendAsync(context, document);
    }

    /// <summary>A key or a token, whichever the configuration has; one of them is enough.</summary>
    private void RequireAccess(JsonObject document)
    {
        var schemes = new JsonObject();
        if (access.HasKeys)
        {
            schemes["key"] = new JsonObject { ["type"] = "apiKey", ["in"] = "header", ["name"] = ApiKeyHandler.Header };
        }

        if (access.HasTokens)
        {
            schemes["token"] = new JsonObject { ["type"] = "http", ["scheme"] = "bearer", ["bearerFormat"] = "JWT" };
        }

        if (!access.IsOpen)
        {
            document["security"] = new JsonArray(
                [.. schemes.Select(scheme => new JsonObject { [scheme.Key] = new JsonArray() })]);
            document["components"]!["securitySchemes"] = schemes;
        }
    }

    private static string Read(string resource)
    {
        using var reader = new StreamReader(typeof(ApiDescription).Assembly.GetManifestResourceStream(resource)!);
        return reader.ReadToEnd();
    }
}
