using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Http.Features.Authentication;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Which type stands in which slot.</summary>
internal static class FeatureSlots
{
    /// <summary>The type of each slot, in the order of <see cref="FeatureSlot"/>.</summary>
    private static readonly Type[] s_types =
    [
        typeof(IHttpRequestFeature), typeof(IHttpResponseFeature), typeof(IHttpResponseBodyFeature),
        typeof(IRequestBodyPipeFeature), typeof(IHttpRequestBodyDetectionFeature),
        typeof(IHttpRequestLifetimeFeature), typeof(IHttpRequestIdentifierFeature), typeof(IHttpConnectionFeature),
        typeof(IHttpBodyControlFeature), typeof(IHttpMaxRequestBodySizeFeature), typeof(IEndpointFeature),
        typeof(IRouteValuesFeature), typeof(IBadRequestExceptionFeature), typeof(IHttpRequestTrailersFeature),
        typeof(IServerVariablesFeature), typeof(IFastCgiRequestFeature), typeof(IConnectionItemsFeature),
        typeof(IConnectionCompleteFeature), typeof(IConnectionEndPointFeature), typeof(IConnectionLifetimeFeature),
        typeof(IConnectionLifetimeNotificationFeature), typeof(IHttpMinRequestBodyDataRateFeature),
        typeof(IHttpMinResponseDataRateFeature), typeof(IConnectionSocketFeature),
        typeof(IConnectionMetricsTagsFeature), typeof(ITlsConnectionFeature), typeof(ITlsHandshakeFeature),
        typeof(IHttpUpgradeFeature), typeof(IItemsFeature), typeof(IQueryFeature), typeof(IFormFeature),
        typeof(IRequestCookiesFeature), typeof(IResponseCookiesFeature), typeof(IServiceProvidersFeature),
        typeof(ISessionFeature), typeof(IHttpAuthenticationFeature), typeof(IAuthenticationFeature),
        typeof(IAuthenticateResultFeature), typeof(IHttpActivityFeature), typeof(IHttpMetricsTagsFeature),
        typeof(IHttpRequestTimeoutFeature),
    ];

    internal static ReadOnlySpan<Type> Types => s_types;

    /// <summary>Pointer comparisons are faster than a hash for the dozen types that every request asks for.</summary>
    internal static FeatureSlot Find(Type type)
    {
        if (type == typeof(IHttpRequestFeature)) { return FeatureSlot.Request; }
        if (type == typeof(IHttpResponseFeature)) { return FeatureSlot.Response; }
        if (type == typeof(IHttpResponseBodyFeature)) { return FeatureSlot.ResponseBody; }
        if (type == typeof(IEndpointFeature)) { return FeatureSlot.Endpoint; }
        if (type == typeof(IRouteValuesFeature)) { return FeatureSlot.RouteValues; }
        if (type == typeof(IServiceProvidersFeature)) { return FeatureSlot.ServiceProviders; }
        if (type == typeof(IHttpActivityFeature)) { return FeatureSlot.Activity; }
        if (type == typeof(IHttpMetricsTagsFeature)) { return FeatureSlot.MetricsTags; }
        if (type == typeof(IHttpRequestLifetimeFeature)) { return FeatureSlot.RequestLifetime; }
        if (type == typeof(IRequestBodyPipeFeature)) { return FeatureSlot.RequestBodyPipe; }
        if (type == typeof(IHttpMaxRequestBodySizeFeature)) { return FeatureSlot.MaxRequestBodySize; }
        if (type == typeof(IHttpRequestBodyDetectionFeature)) { return FeatureSlot.RequestBodyDetection; }
        if (type == typeof(IQueryFeature)) { return FeatureSlot.Query; }
        if (type == typeof(IItemsFeature)) { return FeatureSlot.Items; }
        if (type == typeof(IHttpAuthenticationFeature)) { return FeatureSlot.Authentication; }
        if (type == typeof(IAuthenticationFeature)) { return FeatureSlot.AuthenticationPath; }
        if (type == typeof(IAuthenticateResultFeature)) { return FeatureSlot.AuthenticateResult; }
        if (type == typeof(IHttpConnectionFeature)) { return FeatureSlot.Connection; }
        if (type == typeof(IHttpRequestIdentifierFeature)) { return FeatureSlot.RequestIdentifier; }
        if (type == typeof(IRequestCookiesFeature)) { return FeatureSlot.RequestCookies; }
        if (type == typeof(IResponseCookiesFeature)) { return FeatureSlot.ResponseCookies; }
        if (type == typeof(IFormFeature)) { return FeatureSlot.Form; }
        if (type == typeof(ISessionFeature)) { return FeatureSlot.Session; }
        if (type == typeof(IHttpRequestTimeoutFeature)) { return FeatureSlot.RequestTimeout; }
        if (type == typeof(IHttpBodyControlFeature)) { return FeatureSlot.BodyControl; }
        if (type == typeof(ITlsConnectionFeature)) { return FeatureSlot.TlsConnection; }
        if (type == typeof(ITlsHandshakeFeature)) { return FeatureSlot.TlsHandshake; }
        if (type == typeof(IHttpUpgradeFeature)) { return FeatureSlot.Upgrade; }
        if (type == typeof(IServerVariablesFeature)) { return FeatureSlot.ServerVariables; }
        if (type == typeof(IFastCgiRequestFeature)) { return FeatureSlot.FastCgi; }
        if (type == typeof(IConnectionItemsFeature)) { return FeatureSlot.ConnectionItems; }
        if (type == typeof(IConnectionCompleteFeature)) { return FeatureSlot.ConnectionComplete; }
        if (type == typeof(IConnectionEndPointFeature)) { return FeatureSlot.ConnectionEndPoint; }
        if (type == typeof(IConnectionLifetimeFeature)) { return FeatureSlot.ConnectionLifetime; }
        if (type == typeof(IBadRequestExceptionFeature)) { return FeatureSlot.BadRequest; }
        if (type == typeof(IHttpRequestTrailersFeature)) { return FeatureSlot.RequestTrailers; }
        if (type == typeof(IHttpMinRequestBodyDataRateFeature)) { return FeatureSlot.MinRequestBodyDataRate; }
        if (type == typeof(IHttpMinResponseDataRateFeature)) { return FeatureSlot.MinResponseDataRate; }
        if (type == typeof(IConnectionSocketFeature)) { return FeatureSlot.ConnectionSocket; }
        if (type == typeof(IConnectionMetricsTagsFeature)) { return FeatureSlot.ConnectionMetricsTags; }
        return type == typeof(IConnectionLifetimeNotificationFeature)
            ? FeatureSlot.ConnectionLifetimeNotification
            : FeatureSlot.Unknown;
    }
}

/// <summary>The place of a known feature in its request's table, as <see cref="FeatureSlots"/> says.</summary>
internal enum FeatureSlot
{
    Unknown = -1,

    // What the server itself serves.
    Request,
    Response,
    ResponseBody,
    RequestBodyPipe,
    RequestBodyDetection,
    RequestLifetime,
    RequestIdentifier,
    Connection,
    BodyControl,
    MaxRequestBodySize,
    Endpoint,
    RouteValues,
    BadRequest,
    RequestTrailers,
    ServerVariables,
    FastCgi,
    ConnectionItems,
    ConnectionComplete,
    ConnectionEndPoint,
    ConnectionLifetime,
    ConnectionLifetimeNotification,
    MinRequestBodyDataRate,
    MinResponseDataRate,
    ConnectionSocket,

    // What it serves if the params, the endpoint or the metrics say so: looked at when first asked for.
    ConnectionMetricsTags,
    TlsConnection,
    TlsHandshake,
    Upgrade,

    // What the framework sets.
    Items,
    Query,
    Form,
    RequestCookies,
    ResponseCookies,
    ServiceProviders,
    Session,
    Authentication,
    AuthenticationPath,
    AuthenticateResult,
    Activity,
    MetricsTags,
    RequestTimeout,

    Count,
}
