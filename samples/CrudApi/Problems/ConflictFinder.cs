using CrudApiSample.Catalogues;
using CrudApiSample.Databases;
using CrudApiSample.Queries;

namespace CrudApiSample.Problems;

/// <summary>Finds the columns that a write failed on, after its transaction has been rolled back.</summary>
internal sealed class ConflictFinder(Database database, CatalogueCache catalogues)
{
    /// <returns>The columns of the unique key; none when the database does not tell.</returns>
    public async Task<IReadOnlyList<Column>> FindUniqueAsync(
        FailedWriteException failure, CancellationToken cancellationToken)
    {
        var names = await database.ReadUniqueColumnsAsync(failure.Failure, failure.Table, cancellationToken);
        return [.. names.Select(failure.Table.Find).OfType<Column>()];
    }

    /// <returns>The column whose value is missing in the other table, or null.</returns>
    public async Task<Column?> FindMissingReferenceAsync(
        FailedWriteException failure, HttpContext context, CancellationToken cancellationToken)
    {
        var catalogue = await catalogues.GetAsync(context);
        await using var session = await database.OpenAsync(cancellationToken);
        foreach (var (column, value, _, _) in failure.Assignments)
        {
            if (value is not null && column.References is { } reference
                && catalogue.Find(reference.Table) is { } other && other.Find(reference.Column) is { } target
                && !await ExistsAsync(session, other, target, value, cancellationToken))
            {
                return column;
            }
        }

        return null;
    }

    /// <returns>The column that still refers to the record, with its table, or null.</returns>
    public async Task<(Table Table, Column Column)?> FindReferrerAsync(
        FailedWriteException failure, HttpContext context, CancellationToken cancellationToken)
    {
        var catalogue = await catalogues.GetAsync(context);
        await using var session = await database.OpenAsync(cancellationToken);
        foreach (var other in catalogue.Tables)
        {
            foreach (var column in other.Columns)
            {
                if (column.References is { } reference
                    && reference.Table == failure.Table.Name && reference.Column == failure.Table.Key?.Name
                    && await ExistsAsync(session, other, column, failure.Key!, cancellationToken))
                {
                    return (other, column);
                }
            }
        }

        return null;
    }

    private async Task<bool> ExistsAsync(
        Session session, Table table, Column column, object value, CancellationToken cancellationToken)
    {
        var filter = new Filter([], column, FilterOperator.Equal, IsNegated: false, [value]);
        await using var reader =
            await session.QueryAsync(new SqlWriter(database).Count(table, new FilterTree(filter)), cancellationToken);
        return await reader.ReadAsync(cancellationToken) && reader.GetInt64(0) > 0;
    }
}
