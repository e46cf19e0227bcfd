using System.Text.Json.Nodes;
using CrudApiSample.Catalogues;
using CrudApiSample.Records;

namespace CrudApiSample.Description;

/// <summary>The paths of one table.</summary>
/// <param name="document">To add them to.</param>
/// <param name="table">The table.</param>
/// <param name="component">Its name among the components.</param>
/// <param name="example">One of its records; null when there is none to show.</param>
internal sealed class TableOperations(JsonObject document, Table table, string component, JsonObject? example)
{
    private static readonly string[] _ofRecord = ["columns", "exclude", "join"];

    private static readonly string[] _ofList =
    [
        "filter", "filter1", "filter2", "search", "order", "columns", "exclude", "join", "page", "size", "count",
        "format",
    ];

    private readonly string _input = $"{component}.input";
    private readonly string _changes = $"{component}.changes";

    public void Add()
    {
        document["tags"]!.AsArray().Add(new JsonObject { ["name"] = table.Name });
        var schemas = document["components"]!["schemas"]!;
        schemas[component] = TableSchemas.DescribeRecord(table, example);
        schemas[_input] = TableSchemas.DescribeInput(table, example);
        var path = $"/{Uri.EscapeDataString(table.Name)}";
        var list = new JsonObject();
        AddOperation(list, "get", Operations.Read, "Lists records", "200", "A page of records", Page(), null, _ofList);
        AddOperation(
            list, "post", Operations.Create, "Creates a record, or all of an array", "201",
            "The record as it is stored", OneOrMore(component), OneOrMore(_input));
        document["paths"]![path] = list;
        if (table.Key is not null && !table.IsReadOnly)
        {
            schemas[_changes] = TableSchemas.DescribeChanges(table, example);
            document["paths"]![$"{path}/{{{RecordTarget.KeysValue}}}"] = DescribeRecords(table.Key);
        }
    }

    private JsonObject DescribeRecords(Column key)
    {
        const string Stored = "As it is stored";
        var path = new JsonObject
        {
            ["parameters"] = new JsonArray(new JsonObject
            {
                ["name"] = RecordTarget.KeysValue,
                ["in"] = "path",
                ["required"] = true,
                ["description"] = $"{key.Name}, or several with commas between them.",
                ["schema"] = new JsonObject { ["type"] = "string" },
            }),
        };
        if (example?[key.Name] is { } value)
        {
            path["parameters"]![0]!["example"] = value.ToString();
        }

        AddOperation(
            path, "get", Operations.Read, "Reads the record, or an array of them", "200", Stored, OneOrMore(component),
            body: null, _ofRecord);
        AddOperation(
            path, "post", Operations.Create, "Creates records with these keys", "201", "As they are stored",
            OneOrMore(component), OneOrMore(_input));
        AddOperation(
            path, "put", Operations.Update, "Replaces all columns but the key: those not given get their defaults",
            "200", Stored, OneOrMore(component), OneOrMore(_input));
        AddOperation(
            path, "patch", Operations.Update, "Changes the columns given", "200", Stored, OneOrMore(component),
            OneOrMore(_changes));
        AddOperation(path, "delete", Operations.Delete, "Deletes the records", "204", "They are gone", answer: null);
        return path;
    }

    private void AddOperation(
        JsonObject path,
        string method,
        Operations operation,
        string summary,
        string status,
        string outcome,
        JsonObject? answer,
        JsonObject? body = null,
        params string[] parameters)
    {
        if (!table.Operations.HasFlag(operation))
        {
            return;
        }

        var done = new JsonObject { ["description"] = outcome };
        path[method] = new JsonObject
        {
            ["summary"] = summary,
            ["tags"] = new JsonArray(table.Name),
            ["responses"] = new JsonObject { [status] = done, ["default"] = Reference("responses", "problem") },
        };
        if (answer is not null)
        {
            done["content"] = Content(answer);
        }

        if (body is not null)
        {
            path[method]!["requestBody"] = new JsonObject { ["required"] = true, ["content"] = Content(body) };
        }

        if (parameters.Length > 0)
        {
            path[method]!["parameters"] = new JsonArray([.. parameters.Select(name => Reference("parameters", name))]);
        }
    }

    private JsonObject Page() => new()
    {
        ["type"] = "object",
        ["properties"] = new JsonObject
        {
            ["records"] = new JsonObject { ["type"] = "array", ["items"] = Reference("schemas", component) },
            ["count"] = new JsonObject { ["type"] = "integer", ["description"] = "Records on this page." },
            ["total"] = new JsonObject { ["type"] = "integer", ["description"] = "Records that match." },
        },
    };

    private static JsonObject OneOrMore(string schema) => new()
    {
        ["oneOf"] = new JsonArray(
            Reference("schemas", schema),
            new JsonObject { ["type"] = "array", ["items"] = Reference("schemas", schema) }),
    };

    private static JsonObject Reference(string kind, string name) => new() { ["$ref"] = $"#/components/{kind}/{name}" };

    private static JsonObject Content(JsonObject schema) =>
        new() { ["application/json"] = new JsonObject { ["schema"] = schema } };
}
