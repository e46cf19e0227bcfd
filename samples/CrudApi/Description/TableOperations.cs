using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Records;
using Microsoft.OpenApi;

namespace CrudApiSample.Description;

/// <summary>The paths of one table.</summary>
/// <param name="document">To add them to.</param>
/// <param name="table">The table.</param>
/// <param name="component">Its name among the components.</param>
/// <param name="example">One of its records; null when there is none to show.</param>
internal sealed class TableOperations(OpenApiDocument document, Table table, string component, JsonObject? example)
{
    public const string Problem = "problem";

    private const string Json = "application/json";

    private readonly string _input = $"{component}.input";
    private readonly string _changes = $"{component}.changes";

    public static OpenApiResponse DescribeProblem()
    {
        static OpenApiSchema Text(string description) =>
            new() { Type = JsonSchemaType.String, Description = description };
        return new OpenApiResponse
        {
            Description = "It was not done; the answer says why.",
            Content = Content(
                new OpenApiSchema
                {
                    Type = JsonSchemaType.Object,
                    Properties = new Dictionary<string, IOpenApiSchema>
                    {
                        ["title"] = Text("What the status means."),
                        ["status"] = new OpenApiSchema { Type = JsonSchemaType.Integer },
                        ["detail"] = Text("What was wrong with this request."),
                        ["column"] = Text("The column that is meant; of a unique key all, with commas between them."),
                        ["value"] = Text("The value that it does not take."),
                        ["record"] = new OpenApiSchema
                        {
                            Type = JsonSchemaType.Integer,
                            Description = "The number of the record in an array, from 1.",
                        },
                        ["errors"] = new OpenApiSchema
                        {
                            Type = JsonSchemaType.Array,
                            Items = new OpenApiSchema { Type = JsonSchemaType.Object },
                            Description = "All records of an array that are wrong: record, detail, column, value.",
                        },
                    },
                },
                "application/problem+json"),
        };
    }

    public void Add()
    {
        document.Tags!.Add(new OpenApiTag { Name = table.Name });
        var schemas = document.Components!.Schemas!;
        schemas[component] = TableSchemas.DescribeRecord(table, example);
        schemas[_input] = TableSchemas.DescribeInput(table, example);
        var list = new OpenApiPathItem
        {
            Operations = new()
            {
                [HttpMethod.Get] = DescribeList(),
                [HttpMethod.Post] = Describe(
                    "Creates a record, or all of an array", "201", "The record as it is stored",
                    OneOrMore(component), OneOrMore(_input)),
            },
        };
        document.Paths[$"/{Uri.EscapeDataString(table.Name)}"] = Allowed(list);
        if (table.Key is not null && !table.IsReadOnly)
        {
            schemas[_changes] = TableSchemas.DescribeChanges(table, example);
            document.Paths[$"/{Uri.EscapeDataString(table.Name)}/{{{RecordTarget.KeysValue}}}"] =
                Allowed(DescribeRecords(table.Key));
        }
    }

    /// <summary>Leaves out what a view or the configuration does not allow.</summary>
    private OpenApiPathItem Allowed(OpenApiPathItem path)
    {
        var allowed = table.IsReadOnly ? table.Operations & Operations.Read : table.Operations;
        foreach (var method in path.Operations!.Keys.ToArray())
        {
            var operation = method.Method switch
            {
                "GET" => Operations.Read,
                "POST" => Operations.Create,
                "DELETE" => Operations.Delete,
                _ => Operations.Update,
            };
            if (!allowed.HasFlag(operation))
            {
                path.Operations.Remove(method);
            }
        }

        return path;
    }

    private OpenApiOperation DescribeList()
    {
        var page = new OpenApiSchema
        {
            Type = JsonSchemaType.Object,
            Properties = new Dictionary<string, IOpenApiSchema>
            {
                ["records"] = new OpenApiSchema { Type = JsonSchemaType.Array, Items = Reference(component) },
                ["count"] = new OpenApiSchema { Type = JsonSchemaType.Integer, Description = "Records on this page." },
                ["total"] = new OpenApiSchema { Type = JsonSchemaType.Integer, Description = "Records that match." },
            },
        };
        return Describe("Lists records", "200", "A page of records", page, body: null, QueryParameters.OfList);
    }

    private OpenApiPathItem DescribeRecords(Column key)
    {
        return new OpenApiPathItem
        {
            Parameters =
            [
                new OpenApiParameter
                {
                    Name = RecordTarget.KeysValue,
                    In = ParameterLocation.Path,
                    Required = true,
                    Description = $"{key.Name}, or several with commas between them.",
                    Schema = new OpenApiSchema { Type = JsonSchemaType.String },
                    Example = example?[key.Name]?.ToString(),
                },
            ],
            Operations = new()
            {
                [HttpMethod.Get] = Describe(
                    "Reads the record, or an array of them", "200", "As it is stored",
                    OneOrMore(component), body: null, QueryParameters.OfRecord),
                [HttpMethod.Post] = Describe(
                    "Creates records with these keys", "201", "As they are stored",
                    OneOrMore(component), OneOrMore(_input)),
                [HttpMethod.Put] = Describe(
                    "Replaces all columns but the key: those not given get their defaults", "200", "As it is stored",
                    OneOrMore(component), OneOrMore(_input)),
                [HttpMethod.Patch] = Describe(
                    "Changes the columns given", "200", "As it is stored", OneOrMore(component),
                    OneOrMore(_changes)),
                [HttpMethod.Delete] = Describe("Deletes the records", "204", "They are gone", answer: null, body: null),
            },
        };
    }

    private OpenApiOperation Describe(
        string summary,
        string status,
        string outcome,
        IOpenApiSchema? answer,
        IOpenApiSchema? body,
        params string[] parameters) => new()
    {
        Summary = summary,
        Tags = new HashSet<OpenApiTagReference> { new(table.Name, document) },
        Parameters = [.. parameters.Select(name => new OpenApiParameterReference(name, document))],
        RequestBody = body is null ? null : new OpenApiRequestBody { Required = true, Content = Content(body) },
        Responses = new OpenApiResponses
        {
            [status] = new OpenApiResponse { Description = outcome, Content = answer is null ? null : Content(answer) },
            ["default"] = new OpenApiResponseReference(Problem, document),
        },
    };

    private OpenApiSchema OneOrMore(string schema) => new()
    {
        OneOf =
        [
            Reference(schema),
            new OpenApiSchema { Type = JsonSchemaType.Array, Items = Reference(schema) },
        ],
    };

    private OpenApiSchemaReference Reference(string schema) => new(schema, document);

    private static Dictionary<string, OpenApiMediaType> Content(IOpenApiSchema schema, string type = Json) =>
        new() { [type] = new OpenApiMediaType { Schema = schema } };
}
