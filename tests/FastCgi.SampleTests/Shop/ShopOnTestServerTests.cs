namespace FastCgi.SampleTests.Shop;

public sealed class ShopOnTestServerTests(ShopOnTestServer site) : ShopTests(site), IClassFixture<ShopOnTestServer>;

public sealed class ShopOnFastCgiTests(ShopOnFastCgi site) : ShopTests(site), IClassFixture<ShopOnFastCgi>;

public sealed class CheckoutOnTestServerTests(ShopOnTestServer site)
    : CheckoutTests(site), IClassFixture<ShopOnTestServer>;
