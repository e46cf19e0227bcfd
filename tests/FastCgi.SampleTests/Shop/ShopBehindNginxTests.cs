namespace FastCgi.SampleTests.Shop;

public sealed class ShopBehindNginxTests(ShopBehindNginx site) : ShopTests(site), IClassFixture<ShopBehindNginx>;

public sealed class CheckoutBehindNginxTests(ShopBehindNginx site)
    : CheckoutTests(site), IClassFixture<ShopBehindNginx>;
