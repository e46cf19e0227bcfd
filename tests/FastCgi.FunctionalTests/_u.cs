global using FastCgi.TestKit;
