namespace FastCgi.SampleTests.Shop;

public sealed class ShopOnPostgreSqlTests(ShopOnPostgreSql site) : ShopTests(site), IClassFixture<ShopOnPostgreSql>;

public sealed class CheckoutOnPostgreSqlTests(ShopOnPostgreSql site)
    : CheckoutTests(site), IClassFixture<ShopOnPostgreSql>;
