namespace FastCgi.SampleTests.CrudApi;

public sealed class CrudOnSqliteTests(CrudOnSqlite site) : CrudTests(site), IClassFixture<CrudOnSqlite>;
