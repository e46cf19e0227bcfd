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
        var writer = app.Services.GetRequiredService<RecordWriter>();
        Map(app, "", writer.ReplaceAsync, writer.ChangeAsync);
        Map(app, RecordTarget.MovedPrefix, writer.ChangeAsync, writer.AddAsync).WithMetadata(new RecordTarget.Moved());
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

        group.MapMethods(Table, _read, reader.ListAsync);
        group.MapPost(Table, writer.CreateAsync);
        group.MapMethods(Records, _read, reader.GetAsync);
        group.MapPost(Records, writer.CreateWithKeysAsync);
        group.MapPut(Records, put);
        group.MapPatch(Records, patch);
        group.MapDelete(Records, writer.DeleteAsync);
        return group;
    }
}
