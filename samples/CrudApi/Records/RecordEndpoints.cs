using CrudApiSample.Hosting;

namespace CrudApiSample.Records;

internal static class RecordEndpoints
{
    private const string Table = $"/{{{RecordTarget.TableValue}}}";
    private const string Records = $"{Table}/{{{RecordTarget.KeysValue}}}";

    private static readonly string[] _read = [HttpMethods.Get, HttpMethods.Head];

    /// <summary>The routes of all tables, whichever there are; also below the path of PHP-CRUD-API.</summary>
    public static void MapRecords(this WebApplication app)
    {
        var reader = app.Services.GetRequiredService<RecordReader>();
        var writer = app.Services.GetRequiredService<RecordWriter>();
        var isOpen = app.Services.GetRequiredService<Access>().IsOpen;
        foreach (var prefix in (Prefix[])[new("", IsMoved: false), new("/records", IsMoved: true)])
        {
            var group = app.MapGroup(prefix.Path).WithMetadata(prefix);
            if (!isOpen)
            {
                group.RequireAuthorization();
            }

            group.MapMethods(Table, _read, reader.ListAsync);
            group.MapPost(Table, writer.CreateAsync);
            group.MapMethods(Records, _read, reader.GetAsync);
            group.MapPost(Records, writer.CreateWithKeysAsync);
            group.MapPut(Records, prefix.IsMoved ? writer.ChangeAsync : writer.ReplaceAsync);
            group.MapPatch(Records, prefix.IsMoved ? writer.AddAsync : writer.ChangeAsync);
            group.MapDelete(Records, writer.DeleteAsync);
        }
    }

    /// <summary>What stands before the table in the path of the request.</summary>
    public static string PrefixOf(HttpContext context) =>
        context.GetEndpoint()!.Metadata.GetRequiredMetadata<Prefix>().Path;

    /// <param name="IsMoved">PUT and PATCH mean what they mean in PHP-CRUD-API.</param>
    private sealed record Prefix(string Path, bool IsMoved);
}
