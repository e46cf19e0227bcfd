using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using Microsoft.Extensions.Options;
using Microsoft.OpenApi;

namespace CrudApiSample.Description;

/// <summary>Writes the OpenAPI document: what the catalogue has at this moment.</summary>
internal sealed partial class ApiDescription(
    CatalogueCache catalogues, ExampleRecords examples, IOptions<ApiOptions> options, Access access)
{
    private const string KeyScheme = "key";
    private const string TokenScheme = "token";

    public async Task WriteAsync(HttpContext context)
    {
        var catalogue = await catalogues.GetAsync(context);
        // The description is open to everybody, records only to those who may read them.
        var records = access.IsOpen || context.User.Identity?.IsAuthenticated == true
            ? await examples.ReadAsync(catalogue, context.RequestAborted)
            : new Dictionary<string, JsonObject>();
        var document = Describe(catalogue, records, context.Request.PathBase);
        context.Response.ContentType = "application/json";
        var json = await document.SerializeAsJsonAsync(OpenApiSpecVersion.OpenApi3_1, context.RequestAborted);
        await context.Response.WriteAsync(json, context.RequestAborted);
    }

    private OpenApiDocument Describe(
        Catalogue catalogue, IReadOnlyDictionary<string, JsonObject> records, PathString pathBase)
    {
        var document = new OpenApiDocument
        {
            Info = new OpenApiInfo
            {
                Title = "CrudApi",
                Version = "1",
                Description = "The tables and views of the database, as its own catalogue describes them.",
                Extensions = new Dictionary<string, IOpenApiExtension>
                {
                    ["x-queries"] = new JsonNodeExtension(ExampleQueries.Write(catalogue, records)),
                },
            },
            // Without a host: the page may be reached by several names.
            Servers = [new OpenApiServer { Url = pathBase.HasValue ? pathBase.ToUriComponent() : "/" }],
            Paths = [],
            Tags = new HashSet<OpenApiTag>(),
            Components = new OpenApiComponents
            {
                Parameters = QueryParameters.Describe(options.Value),
                Schemas = new Dictionary<string, IOpenApiSchema>(),
                Responses = new Dictionary<string, IOpenApiResponse>
                {
                    [TableOperations.Problem] = TableOperations.DescribeProblem(),
                },
            },
        };
        RequireAccess(document);

        var number = 0;
        foreach (var table in catalogue.Tables)
        {
            number++;
            // Names of components have fewer characters than names of tables.
            var component = ComponentName().IsMatch(table.Name) ? table.Name : $"{number}";
            new TableOperations(document, table, component, records.GetValueOrDefault(table.Name)).Add();
        }

        return document;
    }

    /// <summary>A key or a token, whichever the configuration has; one of them is enough.</summary>
    private void RequireAccess(OpenApiDocument document)
    {
        var schemes = new Dictionary<string, IOpenApiSecurityScheme>();
        if (access.HasKeys)
        {
            schemes[KeyScheme] = new OpenApiSecurityScheme
            {
                Type = SecuritySchemeType.ApiKey,
                In = ParameterLocation.Header,
                Name = ApiKeyHandler.Header,
            };
        }

        if (access.HasTokens)
        {
            schemes[TokenScheme] = new OpenApiSecurityScheme
            {
                Type = SecuritySchemeType.Http,
                Scheme = "bearer",
                BearerFormat = "JWT",
            };
        }

        if (schemes.Count > 0)
        {
            document.Components!.SecuritySchemes = schemes;
            document.Security =
            [
                .. schemes.Keys.Select(name => new OpenApiSecurityRequirement
                {
                    [new OpenApiSecuritySchemeReference(name, document)] = [],
                }),
            ];
        }
    }

    [GeneratedRegex("^[A-Za-z0-9_]+$")]
    private static partial Regex ComponentName();
}
