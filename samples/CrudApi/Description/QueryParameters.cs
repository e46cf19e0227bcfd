using System.Globalization;
using CrudApiSample.Hosting;
using Microsoft.OpenApi;

namespace CrudApiSample.Description;

/// <summary>The parameters of query strings, which are the same for all tables.</summary>
internal static class QueryParameters
{
    public static readonly string[] OfList = ["filter", "order", "columns", "page", "count"];

    public static readonly string[] OfRecord = ["columns"];

    public static Dictionary<string, IOpenApiParameter> Describe(ApiOptions options)
    {
        var culture = CultureInfo.InvariantCulture;
        return new Dictionary<string, IOpenApiParameter>
        {
            ["filter"] = Create(
                "filter",
                "column,operator,value with the operators cs (contains), sw (starts with), ew (ends with), eq, lt, le, "
                + "ge, gt, bt (from,to), in (a,b,…), is (null); an n before one negates it. All filters have to hold.",
                isRepeated: true),
            ["order"] = Create("order", "column,asc or column,desc; the first counts most.", isRepeated: true),
            ["columns"] = Create("columns", "The columns wanted, with commas between them; all when it is missing."),
            ["page"] = Create(
                "page",
                string.Create(
                    culture,
                    $"number or number,size; {options.PageSize} records unless said, {options.MaxPageSize} at most.")),
            ["count"] = Create("count", "false leaves the total out, which may take long to count."),
        };
    }

    private static OpenApiParameter Create(string name, string description, bool isRepeated = false)
    {
        IOpenApiSchema text = new OpenApiSchema { Type = JsonSchemaType.String };
        return new OpenApiParameter
        {
            Name = name,
            In = ParameterLocation.Query,
            Description = description,
            Schema = isRepeated ? new OpenApiSchema { Type = JsonSchemaType.Array, Items = text } : text,
        };
    }
}
