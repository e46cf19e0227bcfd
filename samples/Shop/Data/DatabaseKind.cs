namespace ShopSample.Data;

/// <summary>Values of the setting <c>Database:Kind</c>, in any case.</summary>
public enum DatabaseKind
{
    Sqlite,
    PostgreSql,
    MariaDb,
}
