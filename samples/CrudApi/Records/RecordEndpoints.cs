using CrudApiSample.Hosting;

namespace CrudApiSample.Records;

internal static class RecordEndpoints
{
    private const string Table = $"/{{{RecordTarget.TableValue}}}";
    private const string Records = $"{Table}/{{{RecordTarget.KeysValue}}}";

    private static readonly string[] _read = [HttpMethods.Get, HttpMethods.Head];

    /// <summary>The routes of all tables, whichever there are.</summary>
    public static void MapRecords(this WebApplication app)
    {
        var reader = app.Services.GetRequiredService<RecordReader>();
        var writer = app.Services.GetRequiredService<RecordWriter>();
        IEndpointConventionBuilder[] endpoints =
        [
            app.MapMethods(Table, _read, reader.ListAsync),
            app.MapPost(Table, writer.CreateAsync),
            app.MapMethods(Records, _read, reader.GetAsync),
            app.MapPost(Records, writer.CreateWithKeysAsync),
            app.MapPut(Records, writer.ReplaceAsync),
            app.MapPatch(Records, writer.ChangeAsync),
            app.MapDelete(Records, writer.DeleteAsync),
        ];
        foreach (var endpoint in endpoints)
        {
            endpoint.WithMetadata(NeedsApiKey.Instance);
        }
    }
}
