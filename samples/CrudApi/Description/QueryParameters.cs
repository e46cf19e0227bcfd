using System.Globalization;
using CrudApiSample.Hosting;
using Microsoft.OpenApi;

namespace CrudApiSample.Description;

/// <summary>The parameters of query strings, which are the same for all tables.</summary>
internal static class QueryParameters
{
    public static readonly string[] OfList =
    [
        "filter", "filter1", "filter2", "search", "order", "columns", "exclude", "join", "page", "size", "count",
        "format",
    ];

    public static readonly string[] OfRecord = ["columns", "exclude", "join"];

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
            ["filter1"] = Create(
                "filter1",
                "An alternative to filter2, filter3 and so on: the filters of one of them have to hold. filter1a and "
                + "filter1b are alternatives within filter1.",
                isRepeated: true),
            ["filter2"] = Create("filter2", "The other alternative.", isRepeated: true),
            ["search"] = Create("search", "A text that one of the columns with text contains."),
            ["order"] = Create("order", "column,asc or column,desc; the first counts most.", isRepeated: true),
            ["columns"] = Create(
                "columns",
                "The columns wanted, with commas between them; all when it is missing. comments.message and comments.* "
                + "name columns of joined tables, * all columns of this one."),
            ["page"] = Create(
                "page",
                string.Create(
                    culture,
                    $"number or number,size; {options.PageSize} records unless said, {options.MaxPageSize} at most.")),
            ["exclude"] = Create("exclude", "The columns not wanted, with commas between them."),
            ["join"] = Create(
                "join",
                "Tables whose records to put into these, by foreign keys: comments, or comments,users for those of "
                + "each comment as well.",
                isRepeated: true),
            ["size"] = Create("size", "How many records a page has, without its number."),
            ["format"] = Create("format", "csv instead of json."),
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
