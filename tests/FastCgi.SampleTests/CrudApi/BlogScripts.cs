namespace FastCgi.SampleTests.CrudApi;

/// <summary>The scripts of the sample, and the further tables that the tests use.</summary>
internal static class BlogScripts
{
    /// <summary>A name that has to be quoted well.</summary>
    public const string OddTable = "odd \"'`; DROP TABLE posts --";

    public const string OddColumn = "a \"b\" `c` 'd' ; % --";

    /// <param name="database">As in the names of the scripts.</param>
    /// <param name="autoNumber">What the database calls a key that it numbers.</param>
    /// <param name="types">The names of double precision, bytes and of a point in time.</param>
    public static string All(
        string database, char quote, string autoNumber, (string Double, string Bytes, string Moment) types)
    {
        var directory = Path.Combine(Repository.Root, "samples", "CrudApi", "Blog");
        string Quote(string name) =>
            $"{quote}{name.Replace($"{quote}", $"{quote}{quote}", StringComparison.Ordinal)}{quote}";
        return $"""
            {File.ReadAllText(Path.Combine(directory, $"{database}.sql"))}
            {File.ReadAllText(Path.Combine(directory, "records.sql"))}

            CREATE TABLE kinds (
                id {autoNumber},
                whole SMALLINT,
                large BIGINT,
                exact DECIMAL(18, 4),
                floating {types.Double},
                flag BOOLEAN,
                label VARCHAR(10) NOT NULL DEFAULT 'none',
                day DATE,
                clock TIME,
                moment {types.Moment},
                data {types.Bytes},
                twice INTEGER GENERATED ALWAYS AS (whole * 2) STORED
            );
            CREATE TABLE pairs (left_id INTEGER NOT NULL, right_id INTEGER NOT NULL, PRIMARY KEY (left_id, right_id));
            CREATE TABLE notes (text VARCHAR(100) NOT NULL);
            CREATE TABLE codes (code VARCHAR(20) PRIMARY KEY, name VARCHAR(50));
            CREATE TABLE {Quote(OddTable)} (id {autoNumber}, {Quote(OddColumn)} VARCHAR(50));
            """;
    }
}
