using System.Text.RegularExpressions;
using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using Microsoft.Extensions.Options;
using Microsoft.OpenApi;

namespace CrudApiSample.Description;

/// <summary>Writes the OpenAPI document: what the catalogue has at this moment.</summary>
internal sealed partial class ApiDescription(CatalogueCache catalogues, IOptions<ApiOptions> options)
{
    private const string KeyScheme = "key";

    public async Task WriteAsync(HttpContext context)
    {
        var document = Describe(await catalogues.GetAsync(context.RequestAborted), context.Request.PathBase);
        context.Response.ContentType = "application/json";
        var json = await document.SerializeAsJsonAsync(OpenApiSpecVersion.OpenApi3_1, context.RequestAborted);
        await context.Response.WriteAsync(json, context.RequestAborted);
    }

    private OpenApiDocument Describe(Catalogue catalogue, PathString pathBase)
    {
        var document = new OpenApiDocument
        {
            Info = new OpenApiInfo
            {
                Title = "CrudApi",
                Version = "1",
                Description = "The tables and views of the database, as its own catalogue describes them.",
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
        if (!string.IsNullOrEmpty(options.Value.Key))
        {
            RequireKey(document);
        }

        var number = 0;
        foreach (var table in catalogue.Tables)
        {
            number++;
            // Names of components have fewer characters than names of tables.
            new TableOperations(document, table, ComponentName().IsMatch(table.Name) ? table.Name : $"{number}").Add();
        }

        return document;
    }

    private static void RequireKey(OpenApiDocument document)
    {
        document.Components!.SecuritySchemes = new Dictionary<string, IOpenApiSecurityScheme>
        {
            [KeyScheme] = new OpenApiSecurityScheme
            {
                Type = SecuritySchemeType.ApiKey,
                In = ParameterLocation.Header,
                Name = ApiKey.Header,
            },
        };
        document.Security =
        [
            new OpenApiSecurityRequirement { [new OpenApiSecuritySchemeReference(KeyScheme, document)] = [] },
        ];
    }

    [GeneratedRegex("^[A-Za-z0-9_]+$")]
    private static partial Regex ComponentName();
}
