using FastCgi.Testing;
using Microsoft.AspNetCore.Mvc.Testing;
using ShopSample.Catalog;

namespace FastCgi.SampleTests.Shop;

/// <summary>The shop over FastCGI, by the clients that TestServer has too.</summary>
public sealed class ShopOnFastCgi : ShopOnTestServer
{
    protected override WebApplicationFactory<Item> CreateFactory() => new FastCgiApplicationFactory<Item>();
}
