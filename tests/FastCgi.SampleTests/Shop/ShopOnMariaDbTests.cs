namespace FastCgi.SampleTests.Shop;

public sealed class ShopOnMariaDbTests(ShopOnMariaDb site) : ShopTests(site), IClassFixture<ShopOnMariaDb>;

public sealed class CheckoutOnMariaDbTests(ShopOnMariaDb site) : CheckoutTests(site), IClassFixture<ShopOnMariaDb>;
