using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using CrudApiSample.Queries;

namespace CrudApiSample.Records;

/// <summary>The paths of all tables, and what the path of a request names.</summary>
internal static class RecordTarget
{
    public const string TableValue = "table";
    public const string KeysValue = "keys";

    /// <summary>The path of PHP-CRUD-API, below which a request means what it means there.</summary>
    public const string MovedPrefix = "/records";

    private const string TablePath = $"/{{{TableValue}}}";
    private const string RecordsPath = $"{TablePath}/{{{KeysValue}}}";

    private static readonly string[] _read = [HttpMethods.Get, HttpMethods.Head];

    public static bool IsMoved(HttpContext context) => context.GetEndpoint()!.Metadata.GetMetadata<Moved>() is not null;

    public static bool HasKeys(HttpContext context) => context.Request.RouteValues.ContainsKey(KeysValue);

    /// <summary>The table, if the operation is allowed there.</summary>
    public static Table FindTable(Catalogue catalogue, HttpRequest request, Operations operation)
    {
        var name = (string)request.RouteValues[TableValue]!;
        var table = catalogue.Find(name);
        if (table is null)
        {
            Refuse.UnknownTable(name);
        }

        if (!table.Operations.HasFlag(operation))
        {
            Refuse.NotAllowed(table, request.Method);
        }

        return table;
    }

    /// <summary>The keys in the path, as they are there and as values: as many as are allowed.</summary>
    public static (string Text, object Value)[] ReadKeys(Table table, HttpRequest request, int maxRecords)
    {
        if (table.Key is not { } column)
        {
            Refuse.Request(
                StatusCodes.Status404NotFound,
                $"The records of '{table.Name}' have no address: it has no primary key of a single column.");
            return [];
        }

        var texts = ((string)request.RouteValues[KeysValue]!).Split(',');
        if (texts.Length > maxRecords)
        {
            Refuse.Body($"One request may name {maxRecords} records at most.");
        }

        return Array.ConvertAll(texts, text => ReadKey(table, column, text));
    }

    // A key that is none has no record; that is not an error of its type.
    private static (string Text, object Value) ReadKey(Table table, Column column, string text)
    {
        if (!ColumnValue.TryParse(column, text, out var value))
        {
            Refuse.UnknownRecords(table, [text]);
        }

        return (text, value);
    }

    /// <summary>The routes of all tables, whichever there are; also below the path of PHP-CRUD-API.</summary>
    public static void MapRecords(this WebApplication app)
    {
        var writer = app.Services.GetRequiredService<RecordWriter>();
        Map(app, "", writer.ReplaceAsync, writer.ChangeAsync);
        Map(app, MovedPrefix, writer.ChangeAsync, writer.AddAsync).WithMetadata(new Moved());
    }

    private static RouteGroupBuilder Map(WebApplication app, string prefix, RequestDelegate put, RequestDelegate patch)
    {
        var reader = app.Services.GetRequiredService<RecordReader>();
        var writer = app.Services.GetRequiredService<RecordWriter>();
        var group = app.MapGroup(prefix);
        if (!app.Services.GetRequiredService<Access>().IsOpen)
        {
            group.RequireAuthorization();
        }

        group.MapMethods(TablePath, _read, reader.ListAsync);
        group.MapPost(TablePath, writer.CreateAsync);
        group.MapMethods(RecordsPath, _read, reader.GetAsync);
        group.MapPost(RecordsPath, writer.CreateAsync);
        group.MapPut(RecordsPath, put);
        group.MapPatch(RecordsPath, patch);
        group.MapDelete(RecordsPath, writer.DeleteAsync);
        return group;
    }

    /// <summary>Marks the endpoints below <see cref="MovedPrefix"/>.</summary>
    private sealed class Moved;
}
