using Microsoft.AspNetCore.Components;

namespace ShopSample.Hosting;

/// <summary>
/// Addresses of static files with the fingerprint of their content in the name, which browsers may keep for ever.
/// One look at the endpoint for a whole page, where a tag helper would look once for each image.
/// </summary>
public readonly struct Assets
{
    private readonly ResourceAssetCollection _names;

    private Assets(ResourceAssetCollection names) => _names = names;

    public static Assets Of(HttpContext context) =>
        new(context.GetEndpoint()?.Metadata.GetMetadata<ResourceAssetCollection>() ?? ResourceAssetCollection.Empty);

    /// <param name="file">Its path inside wwwroot, without a slash in front.</param>
    public string this[string file] => "/" + _names[file];

    public string ImageOf(string slug) => this[$"items/{slug}.svg"];
}
